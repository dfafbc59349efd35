// What other rooms use: health, live instance, demo.

export { demoRoutes } from './demo-routes.ts'
export { healthRoutes, readiness } from './health.ts'
export { checkInstance, releaseForProviders } from './instance.ts'
export { instanceRoutes } from './routes.ts'
export { type SendApp, siteRoutes } from './site-routes.ts'
