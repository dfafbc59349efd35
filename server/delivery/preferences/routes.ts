import type { FastifyReply } from 'fastify'
import * as api from '../../../shared/delivery/preferences.ts'
import { type Routes, servePublic, serveStore } from '../../access/http/public.ts'
import { decidePreferences, readPreferences } from './preferences.ts'
import { readOwnWordings, saveOwnWordings } from './wording.ts'

export const preferenceRoutes: Routes = (app, deps) => {
  servePublic(app, deps, api.readPreferences, ({ params, request, reply }) => {
    discreet(reply)
    return readPreferences(deps, params.token, request.headers['accept-language'])
  })

  servePublic(app, deps, api.savePreferences, ({ params, body, request, reply }) => {
    discreet(reply)
    return decidePreferences(deps, params.token, body, request.headers['accept-language'])
  })

  serveStore(app, deps, api.readPreferenceWording, ({ store }) => readOwnWordings(store))

  serveStore(app, deps, api.savePreferenceWording, ({ store, body }) => saveOwnWordings(deps, store, body))
}

/** Keeps personal pages out of caches, referrers and search engines. */
function discreet(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').header('x-robots-tag', 'noindex')
}
