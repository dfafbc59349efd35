/** Whether replies of shoppers reach us, in a sentence for the owner. `told`: the webhook set at the provider. Pure. */
export function inboundText(number: string, told: string | null | undefined, ours: string): string {
  if (told === ours) return `Messages to ${number} are received here.`
  const where = told ? `go to ${told}, not here` : 'go nowhere yet'
  return `Messages to ${number} ${where}, so STOP is not received. Enter the address below.`
}
