// What other rooms use: unsubscribe and preference pages.

export { preferenceRoutes } from './routes.ts'
export { detectLanguage } from './rules.ts'
export { messageRoutes } from './unsubscribe-routes.ts'
