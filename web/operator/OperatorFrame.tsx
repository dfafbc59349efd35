import './operator.css'
import { Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useMe } from '../access/queries.ts'
import { BarePage } from '../shell/BarePage.tsx'
import { Notice } from '../ui/Notice.tsx'

/**
 * Frame of the operator screens, which cover the whole installation. Without a second factor it explains how to set one
 * up.
 */
export function OperatorFrame({ title, children }: { title: string; children: ReactNode }) {
  const standing = useMe()?.operator
  return (
    <BarePage title={title} size="xl">
      {standing === 'ready' ? (
        children
      ) : (
        <Stack gap="md">
          <Title order={1}>{title}</Title>
          <Missing isOn={standing === 'code_missing'} />
        </Stack>
      )}
    </BarePage>
  )
}

const Missing = ({ isOn }: { isOn: boolean }) => (
  <Notice tone="warn" title={isOn ? 'Sign in with a code' : 'Set up two-factor sign-in first'}>
    {isOn ? (
      <>
        No code was asked for when this session began. <Link to="/logout">Log out</Link>, and sign in again with a code
        of your authenticator app.
      </>
    ) : (
      <>
        Operators sign in with two factors. <Link to="/settings/account">Set it up</Link> under Settings, Account.
      </>
    )}
  </Notice>
)
