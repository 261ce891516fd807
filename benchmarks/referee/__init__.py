"""Random small problems in many configurations, judged by plain enumeration that shares no code with the packages."""
