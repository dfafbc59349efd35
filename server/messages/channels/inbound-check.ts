/** Whether what shoppers write comes to us, in a sentence for the owner: `told` is where the provider says it sends it. Pure. */
export function inboundText(number: string, told: string | null | undefined, ours: string): string {
  if (told === ours) return `Messages to ${number} are received here.`
  const where = told ? `go to ${told}, not here` : 'go nowhere yet'
  return `Messages to ${number} ${where}, so STOP is not received. Enter the address below.`
}
