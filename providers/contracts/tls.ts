import { readFileSync } from 'node:fs'

// A self-signed certificate for localhost, made for these tests. A client has to be told to trust it.
const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

export function readLocalhostTls() {
  return { key: read('localhost.key.pem'), cert: read('localhost.crt.pem') }
}
