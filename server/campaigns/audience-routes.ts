import * as api from '../../shared/audience.ts'
import { type Routes, serveStore } from '../http/http.ts'
import { readAudienceCount } from './audience-count.ts'
import { createAudience, deleteAudience, readAudiences } from './audiences.ts'

export const audienceRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.countAudience, ({ store, body }) => readAudienceCount(deps, store, body))

  serveStore(app, deps, api.listAudiences, async ({ store }) => ({ audiences: await readAudiences(store) }))

  serveStore(app, deps, api.createAudience, async ({ store, account, body }) => ({
    audience: await createAudience(deps, { store, account }, body),
  }))

  serveStore(app, deps, api.deleteAudience, async ({ store, params }) => {
    await deleteAudience(store, params.id)
    return { success: true as const }
  })
}
