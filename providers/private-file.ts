import fs from 'node:fs'

/** Creates a missing file readable by the owner only. SQLite's -wal and -shm files inherit the mode. */
export function makePrivate(file: string): void {
  if (file === ':memory:') return
  fs.closeSync(fs.openSync(file, 'a', 0o600))
  fs.chmodSync(file, 0o600)
}
