#!/bin/sh
# Fires a hook:  HOOK_ID=… HOOK_TOKEN=… examples/fire-hook.sh     (`hook show <id>` at hookline's prompt tells both)
# The header comes from standard input, so that the token is not in the process list.
: "${HOOK_ID:?the 32 characters after /hook/}" "${HOOK_TOKEN:?the token of that hook}"
printf 'X-Hook-Token: %s' "$HOOK_TOKEN" | curl -sS -X POST -H @- "http://127.0.0.1:53219/hook/$HOOK_ID"
echo
