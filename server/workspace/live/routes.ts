import { LIVE_PATH } from '../../../shared/workspace/live.ts'
import type { Routes } from '../../access/http/public.ts'
import { Live } from './live.ts'

/** Live connections beside Fastify's routes: opened when it listens, closed before it closes. */
export const liveRoutes: Routes = (app, deps) => {
  const live = new Live(deps, app.server)
  // Before the body is read, which socket.io's engine does.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith(`${LIVE_PATH}/`)) return done()
    reply.hijack()
    live.answer(request.raw, reply.raw)
  })
  app.addHook('onListen', async () => live.start())
  app.addHook('preClose', async () => live.close())
}
