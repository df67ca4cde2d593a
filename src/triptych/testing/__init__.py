"""What tests are made of: contracts that plug-in authors subclass, doubles, and makers of media."""
