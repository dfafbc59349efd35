// What other rooms use: unsubscribe and preference pages.

export { preferenceRoutes } from './routes.ts'
export { choosePageLocale, detectLanguage } from './rules.ts'
export { messageRoutes } from './unsubscribe-routes.ts'
