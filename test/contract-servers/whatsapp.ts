import { createSandboxTemplates } from '../../demo/phone/contents.ts'
import { handleGraphRequest } from '../../demo/phone/graph-api.ts'
import { type ContractOptions, type ContractServer, openProvider } from './twilio.ts'

/** WhatsApp's Cloud API as the phone sandbox plays it, with faults to order. */
export const openContractWhatsApp = (options: ContractOptions): Promise<ContractServer> => {
  // Asked anew each time: where Recoup is may be known only once it runs.
  const templates = () => createSandboxTemplates(options.publicUrl ?? 'https://recoup.example')
  return openProvider(options, (network, request) => handleGraphRequest({ network, templates: templates() }, request))
}
