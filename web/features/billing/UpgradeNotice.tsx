import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'
import { Notice } from '../../core/ui/Notice.tsx'

/** What a larger plan has, with a link to it. */
export const UpgradeNotice = ({ text }: { text: string }) => (
  <Notice tone="warn">
    <Text span fz="sm">
      {text}{' '}
      <Anchor component={Link} to="/pricing" inherit underline="always">
        See plans
      </Anchor>
    </Text>
  </Notice>
)
