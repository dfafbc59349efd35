import fs from 'node:fs'

/** Makes the file if it is missing, readable by nobody else; what SQLite puts beside it (-wal, -shm) gets the same mode. */
export function makePrivate(file: string): void {
  if (file === ':memory:') return
  fs.closeSync(fs.openSync(file, 'a', 0o600))
  fs.chmodSync(file, 0o600)
}
