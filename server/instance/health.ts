import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Routes } from '../http.ts'
import { isMigrated } from '../migrate.ts'
import { lastBeat } from './workers.ts'

const WORKER_SILENT_MS = 30_000

export const healthRoutes: Routes = (app, deps) => {
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics, prefix: 'recoup_' })

  app.get('/healthz', async () => ({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    const checks = await readiness(deps)
    const isReady = Object.values(checks).every((check) => check === 'ok')
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'not ready', checks })
  })

  // Only from this machine: figures of the process, nothing of a store.
  app.get('/metrics', async (request, reply) => {
    if (!/^(127\.|::1|::ffff:127\.)/.test(request.ip))
      return reply.code(404).send({ error: 'Not found', code: 'not_found' })
    return reply.type(metrics.contentType).send(await metrics.metrics())
  })
}

async function readiness(deps: Parameters<Routes>[1]): Promise<Record<string, string>> {
  try {
    const migrated = await isMigrated(deps.pool)
    const beat = await lastBeat(deps.db)
    const isBeating = beat !== null && deps.now().getTime() - beat.getTime() < WORKER_SILENT_MS
    return {
      database: 'ok',
      migrations: migrated ? 'ok' : 'not applied yet',
      worker: isBeating ? 'ok' : 'no worker has been heard of for 30 seconds',
    }
  } catch {
    return { database: 'not reachable' }
  }
}
