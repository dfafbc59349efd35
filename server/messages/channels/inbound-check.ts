/** Whether replies of shoppers reach us, in a sentence for the owner. `told`: the webhook set at the provider. Pure. */
export function describeInbound(number: string, webhookUrl: string | null | undefined, ownUrl: string): string {
  if (webhookUrl === ownUrl) return `Messages to ${number} are received here.`
  const target = webhookUrl ? `go to ${webhookUrl}, not here` : 'go nowhere yet'
  return `Messages to ${number} ${target}, so STOP is not received. Enter the address below.`
}
