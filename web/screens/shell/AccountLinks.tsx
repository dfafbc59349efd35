import { UnstyledButton } from '@mantine/core'
import { IconLogout, IconMail, IconReceipt } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { useInstance, useSubscription } from '../../core/access/queries.ts'
import { LogoutDialog } from '../../features/accounts/LogoutDialog.tsx'
import { buildSupportLink } from '../../features/billing/rules.ts'

/** Pricing, Support and Logout (A 2.2), in the header or, on a phone, at the bottom of the menu with the account. */
export function AccountLinks({ className }: { className: 'header-link' | 'side-link' }) {
  const support = useInstance()?.supportEmail
  const plan = useSubscription()?.plan ?? null
  const [isConfirming, setConfirming] = useState(false)
  return (
    <>
      <Link to="/pricing" className={className}>
        <IconReceipt size={17} stroke={1.8} aria-hidden />
        Pricing
      </Link>
      {support && (
        <a href={buildSupportLink(support, plan)} className={className}>
          <IconMail size={17} stroke={1.8} aria-hidden />
          Support
        </a>
      )}
      <UnstyledButton className={className} onClick={() => setConfirming(true)}>
        <IconLogout size={17} stroke={1.8} aria-hidden />
        Logout
      </UnstyledButton>
      <LogoutDialog opened={isConfirming} onClose={() => setConfirming(false)} />
    </>
  )
}
