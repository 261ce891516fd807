"""Parts and resamples of the rows: what is kept aside from learning, and what resamples agree on."""
