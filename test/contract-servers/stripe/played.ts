/** A parameter that Stripe knows and that would change what happens here is not passed over in silence. */
export function assertSupported(params: object, played: readonly string[]): void {
  const other = Object.entries(params).find(([name, value]) => value !== undefined && !played.includes(name))
  if (other) throw new Error(`The contract server does not play the parameter ${other[0]}`)
}
