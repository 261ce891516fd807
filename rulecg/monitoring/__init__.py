"""After deployment: are new rows, rules and gaps still what they were in training?"""
