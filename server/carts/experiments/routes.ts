import * as api from '../../../shared/carts/experiments.ts'
import { type Routes, serveStore } from '../../access/http/public.ts'
import { changeExperiment, startExperiment, stopExperiment } from './experiments.ts'
import { viewExperiments } from './view.ts'

export const experimentRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.readExperiments, ({ store }) => viewExperiments(store, deps.now()))

  serveStore(app, deps, api.startExperiment, async ({ store, body }) => {
    await startExperiment(deps, store, { controlBps: body.sharePercent * 100, days: body.days })
    return viewExperiments(store, deps.now())
  })

  serveStore(app, deps, api.changeExperiment, async ({ store, body }) => {
    await changeExperiment(deps, store, { controlBps: body.sharePercent * 100, days: body.days })
    return viewExperiments(store, deps.now())
  })

  serveStore(app, deps, api.stopExperiment, async ({ store }) => {
    await stopExperiment(deps, store)
    return viewExperiments(store, deps.now())
  })
}
