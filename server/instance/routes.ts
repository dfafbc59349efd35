import * as api from '../../shared/instance.ts'
import { type Routes, serveAccount, servePublic } from '../http.ts'
import { confirmLive, viewInstance } from './instance.ts'

// The instance: HTTP in, HTTP out. Resetting the demo belongs to the demo.

export const instanceRoutes: Routes = (app, deps) => {
  servePublic(app, deps, api.readInstance, () => viewInstance(deps))

  serveAccount(app, deps, api.confirmLive, async ({ session }) => {
    await confirmLive(deps, session)
    return { success: true as const }
  })
}
