import * as api from '../../../shared/marketing/audience.ts'
import { type Routes, serveStore } from '../../access/http/public.ts'
import { createAudience, deleteAudience, readAudiences } from './audiences.ts'
import { findProducts } from './products.ts'

export const audienceRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.listAudiences, async ({ store }) => ({ audiences: await readAudiences(store) }))

  serveStore(app, deps, api.createAudience, async ({ store, account, body }) => ({
    audience: await createAudience(deps, { store, account }, body),
  }))

  serveStore(app, deps, api.deleteAudience, async ({ store, params }) => {
    await deleteAudience(store, params.id)
    return { success: true as const }
  })

  serveStore(app, deps, api.findProducts, ({ store, query }) => findProducts(store, query))
}
