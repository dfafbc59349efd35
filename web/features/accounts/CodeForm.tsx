/** Credentials of the first step, kept in memory until the second step is done. */
export interface FirstStep {
  email: string
  password: string
  isRemembered: boolean
}
