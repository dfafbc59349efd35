// What other rooms use.

export { guardLinkHosts, linkHostRoutes } from './link-host-routes.ts'
export { chooseLinkBase } from './link-host-rules.ts'
export { checkLinkHosts, createHostCheck } from './link-hosts.ts'
export { deleteExpiredTokens } from './link-tokens.ts'
export { createClickPath, createToken, removePixel, TOKEN_MS, type TokenPurpose } from './message-tokens.ts'
export { type OpenedLink, openClick, openLink } from './open-links.ts'
