// The data folder and its short private folders under the system's temporary folder.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { StartupError } from './startup-errors.ts'

/** The user of a folder or process; empty means the current user. */
export type Owner = { uid?: number; gid?: number }

/**
 * Creates the data folder if missing, closes it to other users, checks that it is writable, and returns its real path.
 */
export function openDataDir(dataDir: string): string {
  makeFolders(path.resolve(dataDir))
  const real = fs.realpathSync(dataDir)
  if (!fs.statSync(real).isDirectory()) throw new StartupError(`DATA_DIR ${dataDir} is not a folder.`)
  fs.accessSync(real, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
  if (process.platform !== 'win32') closeToOthers(real)
  return real
}

/** When started as root, the database runs as another user. Its group may traverse the data folder, not list it. */
export function allowTraversal(realDataDir: string, { gid }: Owner): void {
  if (gid === undefined) return
  fs.chownSync(realDataDir, fs.statSync(realDataDir).uid, gid)
  fs.chmodSync(realDataDir, 0o710)
}

/** Files of Recoup: secrets, and mail with password links. */
const OUR_FILES = /^(app-secret(\.new)?|postgres-location|[a-z-]+\.sqlite(-wal|-shm|-journal)?)$/

/** Earlier versions created data folders that every user of the machine could read. */
function closeToOthers(real: string): void {
  const names = fs.readdirSync(real)
  for (const name of names.filter((each) => OUR_FILES.test(each))) restrictMode(path.join(real, name), 0o600)
  // A folder with other content, such as a home or /tmp, keeps its permissions.
  const isOurs = names.length === 0 || names.some((name) => OUR_FILES.test(name) || name === 'postgres')
  if (isOurs) restrictMode(real, process.getuid?.() === 0 ? 0o710 : 0o700)
}

function restrictMode(file: string, allowed: number): void {
  const found = fs.lstatSync(file)
  // Skips links and folders with a sticky bit, which many users share.
  if (found.isSymbolicLink() || found.uid !== process.getuid?.() || (found.mode & 0o1000) !== 0) return
  if ((found.mode & 0o777 & ~allowed) !== 0) fs.chmodSync(file, found.mode & allowed)
}

/** Does not use mkdir's `recursive`: on file systems without new folders (/proc) Node never returns. */
function makeFolders(folder: string) {
  if (fs.existsSync(folder)) return
  makeFolders(path.dirname(folder))
  fs.mkdirSync(folder)
}

/** A short hash of a data folder, the same for every path to it. */
export function hashOfFolder(realPath: string): string {
  return createHash('sha256').update(realPath).digest('hex').slice(0, 12)
}

/** Unix socket paths are limited to 107 bytes (103 on macOS). The names of folder and socket need up to 40. */
const MAX_TEMP_PATH = 60

/**
 * A folder of mode 0700 for one data folder's sockets. Any user can create a folder in the temporary folder, so one
 * with another owner is refused.
 */
export function findPrivateFolder(realDataDir: string, purpose: string, owner: Owner = {}): string {
  const temp = os.tmpdir()
  const base = temp.length <= MAX_TEMP_PATH && canEnter(temp, owner) ? temp : '/tmp'
  const folder = path.join(base, `recoup-${hashOfFolder(realDataDir)}${purpose}`)
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (process.platform === 'win32') return folder
  const found = fs.lstatSync(folder)
  const expected = owner.uid ?? process.getuid?.()
  const isRootsOwn = process.getuid?.() === 0 && found.uid === 0
  if (!found.isDirectory() || (found.uid !== expected && !isRootsOwn)) {
    throw new StartupError(
      `The temporary folder ${folder} belongs to the user who last started Recoup on this data folder. Start it as that user, or remove that folder.`,
    )
  }
  fs.chmodSync(folder, 0o700)
  if (owner.uid !== undefined) fs.chownSync(folder, owner.uid, owner.gid ?? owner.uid)
  return folder
}

/** Whether that user can enter the folder. Asks the system, because modes, access lists and mounts all matter. */
export function canEnter(folder: string, owner: Owner): boolean {
  if (owner.uid === undefined) return true
  const result = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...owner, cwd: '/', stdio: 'ignore' })
  if (result.error) {
    throw new StartupError(
      'Recoup runs as root, but this system does not let it start the database as another user. Start Recoup as an ordinary user, or set DATABASE_URL.',
    )
  }
  return result.status === 0
}
