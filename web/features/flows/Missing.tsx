import { Link } from 'react-router'
import { authTexts } from '../../../shared/access/auth.ts'
import { mailServerTexts } from '../../../shared/delivery/mail-server.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { Notice } from '../../core/ui/Notice.tsx'

/** What prevents switching a flow on, with links to fix it. */
export function Missing({ missing }: { missing: string[] }) {
  const maySwitch = useHasPermission('flows:switch')
  return (
    <Notice tone="warn" title="Before this flow can be switched on">
      <ul style={{ margin: '4px 0', paddingInlineStart: 20 }}>
        {missing.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {maySwitch ? <SetupLinks missing={missing} /> : 'The owner or an admin of the account can do this.'}
    </Notice>
  )
}

function SetupLinks({ missing }: { missing: string[] }) {
  const isMail = missing.includes(mailServerTexts.missing)
  // The confirmation mail can be sent again from the banner above.
  const elsewhere: string[] = [mailServerTexts.missing, authTexts.verifyFirst]
  const isSender = missing.some((sentence) => !elsewhere.includes(sentence))
  return (
    <span style={{ display: 'flex', flexWrap: 'wrap', gap: '4px 16px' }}>
      {isSender && <Link to="/settings/sending/sender">Enter the sender details</Link>}
      {isMail && <Link to="/settings/sending/mail-server">Set up a mail server</Link>}
    </span>
  )
}
