import * as api from '../../../shared/instance.ts'
import { type Routes, serveAccount, servePublic } from '../../access/http/http.ts'
import { assertMayConfirm, confirmLive, viewInstance } from './instance.ts'

// The instance: HTTP in, HTTP out. Resetting the demo belongs to the demo.

export const instanceRoutes: Routes = (app, deps) => {
  servePublic(app, deps, api.readInstance, ({ session }) => viewInstance(deps, session))

  serveAccount(app, deps, api.confirmLive, async ({ session }) => {
    await assertMayConfirm(deps, session)
    await confirmLive(deps)
    return { success: true as const }
  })
}
