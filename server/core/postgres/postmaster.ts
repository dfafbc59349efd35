// Finds the PostgreSQL that runs on a cluster. Its pid file may be stale, and its pid reused by another process.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

export type Postmaster = { pid: number; port: number; socketDir: string }

/** The running server of this folder, or null. Lines of the pid file: pid, folder, start, port, socket folder, … */
export function findPostmaster(pgdata: string): Postmaster | null {
  const file = path.join(pgdata, 'postmaster.pid')
  const lines = readLines(file)
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 1) return null
  if (isAlive(pid) && isPostgresOn(pid, pgdata)) return { pid, port: Number(lines[3]), socketDir: lines[4] ?? '' }
  // PostgreSQL does not start while that pid exists, even as another program's or a zombie. It still detects living
  // children of a killed server by their shared memory.
  if (exists(pid)) fs.rmSync(file, { force: true })
  return null
}

function readLines(file: string): string[] {
  try {
    return fs.readFileSync(file, 'utf8').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** A zombie is dead: its files and sockets are closed, only its parent has not collected it. */
export function isAlive(pid: number): boolean {
  if (!exists(pid)) return false
  try {
    return !/\) [ZX] /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Reads the command line, because /proc/<pid>/cwd is closed to root in a container when the user differs. */
function isPostgresOn(pid: number, pgdata: string): boolean {
  if (process.platform === 'win32') return true
  const command = commandLine(pid)
  return command.includes('postgres') && command.includes(pgdata)
}

function commandLine(pid: number): string {
  if (process.platform !== 'linux')
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
