import { LIVE_PATH } from '../../../shared/live.ts'
import type { Routes } from '../../access/http/http.ts'
import { Live } from './live.ts'

/** Live connections beside the routes of Fastify: they begin to hear when it listens, and end before it does. */
export const liveRoutes: Routes = (app, deps) => {
  const live = new Live(deps, app.server)
  // Before anything reads the body, which is the engine's to read.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith(`${LIVE_PATH}/`)) return done()
    reply.hijack()
    live.answer(request.raw, reply.raw)
  })
  app.addHook('onListen', async () => live.start())
  app.addHook('preClose', async () => live.close())
}
