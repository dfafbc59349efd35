import type { Routes } from '../http.ts'

export const demoRoutes: Routes = () => {}
