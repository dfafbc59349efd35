// What other rooms use.

export { secondFactorRoutes } from './routes.ts'
export { proveSecondFactor, removeSecondFactor } from './second-factor.ts'
