// One Recoup per data folder. The lock is a listening socket, which the system frees however the process ends.

import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { findPrivateFolder, hashOfFolder, openDataDir } from './data-dir.ts'
import { StartupError } from './startup-errors.ts'

/** Another process holds the data folder. */
export class InstanceRunning extends StartupError {
  override name = 'InstanceRunning'
}

export type InstanceLock = { release(): Promise<void> }

const ANSWER_LIMIT_MS = 2_000

/** Locks the data folder for this process, or throws a StartupError with the address of the running instance. */
export async function acquireInstanceLock(dataDir: string, address: string): Promise<InstanceLock> {
  for (;;) {
    const socketPath = lockPath(dataDir)
    const server = await listen(socketPath, address)
    if (server) return { release: () => release(server, socketPath) }
    const before = fileIdentity(socketPath)
    const running = await requestAddress(socketPath)
    if (running !== null) throw alreadyRunningError(dataDir, running)
    removeDeadSocket(socketPath, before)
  }
}

function lockPath(dataDir: string) {
  const real = openDataDir(dataDir)
  if (process.platform === 'win32') return `\\\\.\\pipe\\recoup-${hashOfFolder(real)}`
  return path.join(findPrivateFolder(real, ''), 'lock')
}

function alreadyRunningError(dataDir: string, address: string) {
  const at = address === '' ? '' : ` at ${address}`
  return new InstanceRunning(`Recoup is already running on this data folder (${dataDir})${at}.`)
}

function listen(socketPath: string, address: string): Promise<net.Server | null> {
  const { promise, resolve, reject } = Promise.withResolvers<net.Server | null>()
  const server = net.createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.end(address)
  })
  // ENOENT: another instance ended and removed the folder at this moment.
  const isPassing = (error: NodeJS.ErrnoException) => error.code === 'EADDRINUSE' || error.code === 'ENOENT'
  server.once('error', (error) => (isPassing(error) ? resolve(null) : reject(error)))
  server.listen(socketPath, () => {
    server.unref()
    resolve(server)
  })
  return promise
}

async function release(server: net.Server, socketPath: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  await promise
  if (process.platform === 'win32') return
  try {
    fs.rmdirSync(path.dirname(socketPath))
  } catch {
    // The next instance already uses the folder.
  }
}

/** The listener's reply; null when nothing listens. */
function requestAddress(socketPath: string): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  let answer = ''
  const socket = net.connect(socketPath)
  socket.setEncoding('utf8')
  // The listener does not reply: stopped or very busy, but alive.
  socket.setTimeout(ANSWER_LIMIT_MS, () => {
    socket.destroy()
    resolve(answer)
  })
  socket.on('data', (text) => {
    answer += text
  })
  socket.on('end', () => resolve(answer))
  socket.on('error', (error: NodeJS.ErrnoException) => {
    resolve(error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? null : answer)
  })
  return promise
}

function fileIdentity(file: string) {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  return stat ? `${stat.dev}:${stat.ino}:${stat.mtimeMs}` : null
}

/**
 * Two starts may find the same dead socket. Moving it aside and checking what was moved keeps the slower one from
 * removing the faster one's new socket.
 */
function removeDeadSocket(socketPath: string, dead: string | null) {
  const aside = `${socketPath}.${process.pid}`
  try {
    fs.renameSync(socketPath, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  if (fileIdentity(aside) === dead) fs.rmSync(aside)
  else fs.renameSync(aside, socketPath)
}
