/** Refuses parameters that Stripe knows and that this server would have to act on, but does not support. */
export function assertSupported(params: object, played: readonly string[]): void {
  const other = Object.entries(params).find(([name, value]) => value !== undefined && !played.includes(name))
  if (other) throw new Error(`The contract server does not play the parameter ${other[0]}`)
}
