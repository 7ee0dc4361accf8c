#!/bin/sh
# A server of a few lines, quick to start and quick to die: its arguments are its name and the file that gets every nonce.
# What it dies of is written down too, and every second time it leaves a process behind that holds its pipes.
name=$1
record=$2
echo start >>"$record"
while IFS= read -r line; do
  id=${line#*'"id":'}
  id=${id%%',"'*}
  case $line in
  *'"method":"initialize"'*)
    result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shaky","version":"1"}}'
    ;;
  *'"method":"tools/list"'*)
    result='{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"crash","inputSchema":{"type":"object"}}]}'
    ;;
  *'"name":"crash"'*)
    nonce=${line#*'"nonce":"'}
    nonce=${nonce%%'"'*}
    echo "$nonce" >>"$record"
    case $nonce in
    *[02468]) sleep 1000 & ;;
    esac
    kill -9 $$
    ;;
  *'"method":"tools/call"'*)
    nonce=${line#*'"nonce":"'}
    nonce=${nonce%%'"'*}
    echo "$nonce" >>"$record"
    result="{\"content\":[{\"type\":\"text\",\"text\":\"$name $nonce\"}]}"
    ;;
  *)
    continue
    ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
