import '../../core/theme/roles.css'
import './shopper.css'
import { parseToken } from '../../../shared/carts/link-tokens.ts'
import { openPreferences } from './preferences.ts'
import { openRestore } from './restore.ts'
import { openUnsubscribe } from './unsubscribe.ts'

// Opens the shopper's page at the address (`web/shopper.html`).

const readParameter = (name: string) => parseToken(new URLSearchParams(location.search).get(name) ?? '')

const path = location.pathname.toLowerCase()
if (path.startsWith('/unsubscribe')) openUnsubscribe(readParameter('token'))
else if (path.startsWith('/preferences')) openPreferences(readParameter('token'))
else openRestore(readParameter('cart_id'))
