"""What calls and settings of a project give to the parameters and options that are devices."""
