import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Routes } from '../../access/http/public.ts'
import { isSameSecret } from '../../core/common/public.ts'
import type { Config } from '../../core/config/public.ts'
import { isMigrated } from '../../core/database/public.ts'
import { compileRanges } from '../../core/net/public.ts'
import { readLastBeat } from '../../delivery/send/public.ts'
import type { Deps } from '../../deps.ts'
import { listAlarms } from '../../insights/alarms/alarms.ts'
import { chooseMailRoute } from '../../messages/channels/public.ts'

const WORKER_SILENT_MS = 30_000
/** A hanging database counts as unavailable. */
const DATABASE_LIMIT_MS = 3_000

export const healthRoutes: Routes = (app, deps) => {
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics, prefix: 'recoup_' })

  app.get('/healthz', async () => ({ status: 'ok' }))

  app.get('/readyz', async (request, reply) => {
    const { checks, alarms } = await readiness(deps)
    const isReady = Object.values(checks).every((check) => check === 'ok')
    // Alarms concern stores: they must not take a server out of a load balancer.
    const status = isReady ? 'ok' : 'not ready'
    const details = mayReadMetrics(deps, request) ? { checks, mail: chooseMailRoute(deps.config), alarms } : {}
    return reply.code(isReady ? 200 : 503).send({ status, ...details })
  })

  // Process metrics only, no store data.
  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(deps, request)) return reply.code(404).send({ error: 'Not found', code: 'not_found' })
    return reply.type(metrics.contentType).send(await metrics.metrics())
  })
}

const isLoopback = compileRanges(['127.0.0.0/8', '::1'])

/**
 * Needs METRICS_TOKEN; in local mode, access from this machine is enough. Elsewhere a loopback address proves nothing,
 * because of local proxies.
 */
function mayReadMetrics({ config }: Pick<Deps, 'config'>, request: FastifyRequest): boolean {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (config.metricsToken) return token !== undefined && isSameSecret(token, config.metricsToken)
  return config.isLocal && isLoopback(request.ip)
}

interface Readiness {
  checks: Record<string, string>
  alarms: { stage: string; since: string }[]
}

/** For `/readyz` and operators. */
export async function readiness(deps: Pick<Deps, 'config' | 'db' | 'demo' | 'now' | 'pool'>): Promise<Readiness> {
  const disk = diskProblem(deps.config) ?? 'ok'
  const late = sleep(DATABASE_LIMIT_MS, { checks: { database: 'does not answer', disk }, alarms: [] }, { ref: false })
  const health = checkDatabase(deps).catch(() => ({ checks: { database: 'not reachable' }, alarms: [] }))
  const { checks, alarms } = await Promise.race([health, late])
  const demo = deps.demo && { demo: deps.demo.isReady() ? 'ok' : 'not set up yet' }
  return { checks: { ...checks, disk, ...demo }, alarms }
}

async function checkDatabase(deps: Pick<Deps, 'db' | 'now' | 'pool'>): Promise<Readiness> {
  const migrated = await isMigrated(deps.pool)
  if (!migrated) return { checks: { database: 'ok', migrations: 'not applied yet' }, alarms: [] }
  const beat = await readLastBeat(deps.db)
  // In both directions: a heartbeat from the future precedes a clock step.
  const isBeating = beat !== null && Math.abs(deps.now().getTime() - beat.getTime()) < WORKER_SILENT_MS
  const worker = isBeating ? 'ok' : 'no worker has reported for 30 seconds'
  return { checks: { database: 'ok', migrations: 'ok', worker }, alarms: await listAlarms(deps) }
}

// Checks the disk of the embedded database. An external database server monitors its own.

/** Less than two WAL segments: the next large write fails. */
const FULL_BYTES = 32 * 2 ** 20

/** The problem as a sentence; null: enough space. */
function diskProblem(config: Pick<Config, 'dataDir' | 'databaseUrl'>): string | null {
  if (config.databaseUrl) return null
  const freeMb = Math.min(...listFolders(config.dataDir).map(freeBytes)) / 2 ** 20
  if (freeMb >= FULL_BYTES / 2 ** 20) return null
  return `the disk of the data folder is full (${Math.floor(freeMb)} MB left): free some space, and it continues automatically`
}

/** The data folder, and the database folder if it had to move (docs/running.md). */
function listFolders(dataDir: string): string[] {
  try {
    return [dataDir, fs.readFileSync(path.join(dataDir, 'postgres-location'), 'utf8').trim()]
  } catch {
    return [dataDir]
  }
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = fs.statfsSync(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
