import * as api from '../../../shared/workspace/instance.ts'
import { type Routes, serveAccount, servePublic } from '../../access/http/public.ts'
import { assertMayConfirm, confirmLive, viewInstance } from './instance.ts'

// Instance endpoints. The reset of the demo is in demo-routes.ts.

export const instanceRoutes: Routes = (app, deps) => {
  servePublic(app, deps, api.readInstance, ({ session }) => viewInstance(deps, session))

  serveAccount(app, deps, api.confirmLive, async ({ session }) => {
    await assertMayConfirm(deps, session)
    await confirmLive(deps)
    return { success: true as const }
  })
}
