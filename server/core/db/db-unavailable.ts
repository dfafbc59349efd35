import { setTimeout as sleep } from 'node:timers/promises'

// Detects a database that is temporarily unavailable, and waits for it.

/** Connection exceptions, shutdown, startup, no free connection, full disk, read-only after a failover. */
const STATES = /^(08...|57P0[1-3]|53300|53100|53400|58030|25006)$/
const SYSTEM = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND'])
/** Messages without a code: from the driver when its connection breaks, from Node when it writes to a closed socket. */
const CONNECTION_ERRORS =
  /^(Connection terminated|Client has encountered a connection error|Client was closed and is not queryable|timeout exceeded when trying to connect|This socket has been ended by the other party)/

export function isDatabaseUnavailable(error: unknown): boolean {
  if (isStalePlan(error)) return true
  const { code, syscall, message } = error as { code?: unknown; syscall?: unknown; message?: unknown }
  if (typeof code === 'string' && STATES.test(code)) return true
  if (
    typeof code === 'string' &&
    SYSTEM.has(code) &&
    (syscall === 'connect' || syscall === 'read' || syscall === 'write')
  )
    return true
  return CONNECTION_ERRORS.test(String(message))
}

/** "cached plan must not change result type" in any server language: another process has migrated (`db.ts`). */
export function isStalePlan(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown }
  return code === '0A000' && routine === 'RevalidateCachedQuery'
}

const MAX_PAUSE_MS = 5_000
const GIVE_UP_AFTER_MS = 60 * 60_000

/**
 * Retries until the database accepts a result that only this process knows. `work` must be idempotent: a commit whose
 * reply was lost may have happened.
 */
export async function retryUntilAvailable<T>(work: () => Promise<T>): Promise<T> {
  const begun = performance.now()
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() - begun > GIVE_UP_AFTER_MS) throw error
    }
    await sleep(pauseMs, undefined, { ref: false })
  }
}

/** Retries a transaction that PostgreSQL ended because of a deadlock, or that a migration interrupted. */
export async function withRetry<T>(work: () => Promise<T>, attempts = 4): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = (error as { code?: string }).code
    const isPassing = code === '40P01' || code === '40001' || isStalePlan(error)
    if (attempts > 1 && isPassing) return withRetry(work, attempts - 1)
    throw error
  }
}
