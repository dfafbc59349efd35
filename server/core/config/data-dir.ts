// The data folder, and the short private folders under the system's temporary folder that belong to it.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { StartupError } from './startup-errors.ts'

/** The user a folder or process is for; empty means the user we run as. */
export type Owner = { uid?: number; gid?: number }

/**
 * Makes the data folder if it is missing, closes it to other users of the machine, proves that it can be written, and returns its real
 * path.
 */
export function openDataDir(dataDir: string): string {
  makeFolders(path.resolve(dataDir))
  const real = fs.realpathSync(dataDir)
  if (!fs.statSync(real).isDirectory()) throw new StartupError(`DATA_DIR ${dataDir} is not a folder.`)
  fs.accessSync(real, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
  if (process.platform !== 'win32') closeToOthers(real)
  return real
}

/** As root, the database runs as another user: its group may pass through the data folder, not list it. */
export function letPass(realDataDir: string, { gid }: Owner): void {
  if (gid === undefined) return
  fs.chownSync(realDataDir, fs.statSync(realDataDir).uid, gid)
  fs.chmodSync(realDataDir, 0o710)
}

/** Files of ours: secrets, and mail with password links in it. */
const OURS = /^(app-secret(\.new)?|postgres-location|[a-z-]+\.sqlite(-wal|-shm|-journal)?)$/

/** Data folders made by earlier versions were open to every user of the machine. */
function closeToOthers(real: string): void {
  const names = fs.readdirSync(real)
  for (const name of names.filter((each) => OURS.test(each))) narrow(path.join(real, name), 0o600)
  // What is somebody's home or /tmp as well stays as it is.
  const isOurs = names.length === 0 || names.some((name) => OURS.test(name) || name === 'postgres')
  if (isOurs) narrow(real, process.getuid?.() === 0 ? 0o710 : 0o700)
}

function narrow(file: string, allowed: number): void {
  const found = fs.lstatSync(file)
  // Not through a link, and nothing with a sticky bit: that is many people's.
  if (found.isSymbolicLink() || found.uid !== process.getuid?.() || (found.mode & 0o1000) !== 0) return
  if ((found.mode & 0o777 & ~allowed) !== 0) fs.chmodSync(file, found.mode & allowed)
}

/** Not by mkdir's `recursive`: where the system takes no new folders (/proc), Node's never comes back. */
function makeFolders(folder: string) {
  if (fs.existsSync(folder)) return
  makeFolders(path.dirname(folder))
  fs.mkdirSync(folder)
}

/** A short name for a data folder, the same for every path that leads to it. */
export function hashOfFolder(realPath: string): string {
  return createHash('sha256').update(realPath).digest('hex').slice(0, 12)
}

/** Unix socket paths are limited to 107 bytes (103 on macOS), of which the folder's name and the socket's need up to 40. */
const LONGEST_TEMP_PATH = 60

/**
 * A folder of mode 0700 for the sockets of one data folder. Anybody may make a folder in the temporary folder, so one that
 * belongs to somebody else is refused.
 */
export function privateFolder(realDataDir: string, purpose: string, owner: Owner = {}): string {
  const temp = os.tmpdir()
  const base = temp.length <= LONGEST_TEMP_PATH && canEnter(temp, owner) ? temp : '/tmp'
  const folder = path.join(base, `recoup-${hashOfFolder(realDataDir)}${purpose}`)
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (process.platform === 'win32') return folder
  const found = fs.lstatSync(folder)
  const expected = owner.uid ?? process.getuid?.()
  const isRootsOwn = process.getuid?.() === 0 && found.uid === 0
  if (!found.isDirectory() || (found.uid !== expected && !isRootsOwn)) {
    throw new StartupError(
      `The temporary folder ${folder} belongs to another user: Recoup was last started on this data folder by somebody else. Start it as that user, or remove that folder.`,
    )
  }
  fs.chmodSync(folder, 0o700)
  if (owner.uid !== undefined) fs.chownSync(folder, owner.uid, owner.gid ?? owner.uid)
  return folder
}

/** Whether that user can pass into the folder: asked of the system itself, as modes, access lists and mounts all have a say. */
export function canEnter(folder: string, owner: Owner): boolean {
  if (owner.uid === undefined) return true
  const asked = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...owner, cwd: '/', stdio: 'ignore' })
  if (asked.error) {
    throw new StartupError(
      'Recoup runs as root, but this system does not let it start the database as another user. Start Recoup as an ordinary user, or set DATABASE_URL.',
    )
  }
  return asked.status === 0
}
