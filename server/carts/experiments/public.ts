// What other rooms use: control groups.

export { begin, countExperiments } from './experiments.ts'
export { hadEarlierMessage, selectArm, selectExperiment } from './fragments.ts'
export { anonymizeShoppers } from './outcomes-sql.ts'
export { experimentRoutes } from './routes.ts'
export { insertAssignments as assign, selectRunning } from './sql.ts'
