"""Rule makers: small generic functions from which provider rows build their rules."""
