import type { Routes } from '../http.ts'

export const captureRoutes: Routes = () => {}
