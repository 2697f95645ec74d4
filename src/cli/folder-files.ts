/** The files of `rowferry init`: settings for the sandbox, with the next steps. */

export const configText = `# Services to import into, and which of them is meant where nothing else is said.
# While there is none, and no ROWFERRY_… setting, rehearsals go to the local sandbox.

# target: staging              # default; else --target <name> or ROWFERRY_TARGET
# state: state                 # folder of ledgers and runs

targets: {}
#  staging:
#    baseUrl: https://api.example.com
#    tokenUrl: https://auth.example.com/oauth/token
#    clientId: my-client
#    clientSecretFile: staging.secret   # owner-only (chmod 600); elsewhere with ROWFERRY_SECRETS=<folder>
#    scope: events                  # where the token endpoint asks for one
#    clientAuthentication: basic    # or post
#    rate: 20                       # requests per second
#    burst: 30                      # requests at once
#    throttle: redis://localhost    # one budget for several machines
#    maxEventsPerRequest: 100
#    maxRequestBytes: 1048576
#    requestIdHeaders: [x-request-id]
#    ledger: state/staging/ledger.db
`;

export const environmentText = `# One service by environment. Copy this file to .env and fill it in; the real environment wins over it.
ROWFERRY_BASE_URL=https://api.example.com
ROWFERRY_TOKEN_URL=https://auth.example.com/oauth/token
ROWFERRY_CLIENT_ID=
ROWFERRY_CLIENT_SECRET=
# ROWFERRY_CLIENT_SECRET_FILE=rowferry.secret
# ROWFERRY_SCOPE=
# ROWFERRY_CLIENT_AUTHENTICATION=basic
# ROWFERRY_LEDGER=state/env/ledger.db
# ROWFERRY_RATE=20
# ROWFERRY_BURST=30
# ROWFERRY_THROTTLE=redis://:password@localhost   # one budget for several machines
# ROWFERRY_TARGET=env
`;

export const ignoreText = `state/
.env
*.secret
`;
