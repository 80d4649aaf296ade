"""Random walks of imports on virtual time, with the records of the service as the judge."""
