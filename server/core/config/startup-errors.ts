// Explains start-up failures: one sentence on stderr, no stack trace when the operator can fix it.

/** Thrown by start-up code. Its message is a sentence for the operator. */
export class StartupError extends Error {
  override name = 'StartupError'
}

type SystemError = {
  code?: unknown
  syscall?: unknown
  port?: unknown
  address?: unknown
  path?: unknown
  message?: string
}
type PortSettings = Readonly<Record<string, number>>

/**
 * The sentence for a start-up error, or null for a bug, where the stack trace helps more. `ports` maps settings to
 * ports, e.g. `{ PORT: 3000, MAILBOX_PORT: 3002 }`.
 */
export function explainStartupError(error: unknown, ports: PortSettings = {}): string | null {
  for (let cause = error; cause instanceof Error; cause = innerError(cause)) {
    if (cause instanceof StartupError) return cause.message
    const sentence = explainListening(cause, ports) ?? explainFolder(cause) ?? explainDatabase(cause)
    if (sentence) return sentence
  }
  return null
}

/** Node reports IPv6 and IPv4 attempts as an AggregateError whose parts carry the address. */
function innerError(error: Error): unknown {
  if (error.cause === undefined && error instanceof AggregateError) return error.errors[0]
  return error.cause
}

function explainListening(error: SystemError, ports: PortSettings) {
  if (error.syscall !== 'listen' && error.syscall !== 'bind') return null
  const setting = Object.keys(ports).find((name) => ports[name] === error.port) ?? 'PORT'
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${error.port} is already in use. Set ${setting} to another one, or stop the program that uses it.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST ${error.address} is not an address of this machine. Set HOST to 127.0.0.1 or 0.0.0.0.`
    case 'EACCES':
      return `Port ${error.port} may not be opened by this user. Set ${setting} to a port above 1023.`
    default:
      return null
  }
}

function explainFolder(error: SystemError) {
  if (typeof error.path !== 'string') return null
  const path = error.path
  switch (error.code) {
    case 'EACCES':
    case 'EPERM':
      return `Recoup may not read or write ${path}. Give its user access, or set DATA_DIR to another folder.`
    case 'ENOTDIR':
    case 'EEXIST':
      return `${path} cannot be used as a folder, because a file is in its place. Move the file, or set DATA_DIR to another folder.`
    case 'ENOENT':
      return `${path} does not exist and cannot be created. Set DATA_DIR to another folder.`
    case 'EROFS':
      return `${path} is on a read-only disk. Set DATA_DIR to a folder that can be written.`
    case 'ENOSPC':
    case 'EDQUOT':
      return `The disk is full: ${path} could not be written. Free some space, or set DATA_DIR to another disk.`
    case 'EMFILE':
    case 'ENFILE':
      return 'Too many files are open. Raise the limit of open files (ulimit -n) and start again.'
    default:
      return null
  }
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNRESET',
])

/** Connection errors of Node and the SQLSTATEs with which PostgreSQL refuses a connection. */
function explainDatabase(error: SystemError) {
  const code = String(error.code ?? '')
  if (UNREACHABLE.has(code)) {
    const at = error.address ? ` at ${error.address}${error.port ? `:${error.port}` : ''}` : ''
    return `The database${at} does not answer (${code}). Check DATABASE_URL and that the server is running.`
  }
  switch (code) {
    case '28P01':
    case '28000':
      return `The database refused the sign-in: ${error.message}. Check user and password in DATABASE_URL.`
    case '3D000':
      return `The database named in DATABASE_URL does not exist: ${error.message}. Create it first.`
    case '42501':
      return `The database user lacks a permission: ${error.message}. Recoup must own its database.`
    case '53300':
      return `The database has no free connection: ${error.message}. Raise its max_connections, or lower DATABASE_POOL and DATABASE_JOBS_POOL.`
    case '57P03':
      return `The database is not ready: ${error.message}. Wait a moment and start again.`
    case '53100':
      return `The database's disk is full: ${error.message}.`
    case '08P01':
      return explainPooler(error.message ?? '')
    default:
      return null
  }
}

/** PgBouncer has one SQLSTATE for all its refusals. */
function explainPooler(message: string) {
  if (message.includes('unsupported startup parameter'))
    return `The pooler in DATABASE_URL refuses a start-up parameter: ${message}. Take it out of DATABASE_URL, or name it in the pooler's ignore_startup_parameters.`
  if (message.includes('no more connections allowed'))
    return `The pooler has no free connection: ${message}. Raise its max_client_conn, or lower DATABASE_POOL.`
  return null
}
