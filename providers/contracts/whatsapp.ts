import { createSandboxTemplates } from '../phone/contents.ts'
import { handleGraphRequest } from '../phone/graph-api.ts'
import { type ContractOptions, type ContractServer, openProvider } from './twilio.ts'

/** WhatsApp's Cloud API as the phone sandbox implements it, with failures that tests can request. */
export const openContractWhatsApp = (options: ContractOptions): Promise<ContractServer> => {
  // Read on each call: the address of Recoup may be known only once it runs.
  const templates = () => createSandboxTemplates(options.publicUrl ?? 'https://recoup.example')
  return openProvider(options, (network, request) => handleGraphRequest({ network, templates: templates() }, request))
}
