import { Anchor, Card, Group, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import { campaignTexts } from '../../shared/campaigns.ts'
import { getErrorText } from '../accounts/queries.ts'
import { StatusMark } from '../campaigns/parts.tsx'
import { useCampaigns } from '../campaigns/queries.ts'
import { formatCount } from '../ui/format.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { TimeAgo } from '../ui/Time.tsx'

/** A 2.3: the newest 10, each linked to its editor. */
const SHOWN = { page: 1, limit: 10 } as const

export function ActiveCampaigns() {
  const campaigns = useCampaigns(SHOWN)
  return (
    <Card padding={0} component="section" aria-label="Active Campaigns">
      <Group justify="space-between" px="lg" pt="lg" pb="sm" gap="sm">
        <Title order={2}>Active Campaigns</Title>
        <Anchor component={Link} to="/campaigns" fz="sm" aria-label="View all campaigns">
          View all
        </Anchor>
      </Group>
      <Loaded
        query={campaigns}
        loading={
          <div className="recent-inside">
            <LoadingList count={2} />
          </div>
        }
        failed={campaignTexts.notLoaded}
        wordsOf={(error) => getErrorText(error, campaignTexts.notFetched)}
        className="recent-inside"
      >
        {({ campaigns: rows }) =>
          rows.length === 0 ? (
            <Text className="recent-inside" fz="sm" c="dimmed">
              {campaignTexts.none}
            </Text>
          ) : (
            <ul className="list-cards">
              {rows.map(({ id, name, status, counts, createdAt }) => (
                <li key={id}>
                  <Link to={`/campaigns/${id}`} className="list-card recent-cart">
                    <span className="recent-name">{name}</span>
                    <span className="recent-value">{formatCount(counts.sent)} sent</span>
                    <span className="recent-more">
                      Created <TimeAgo at={createdAt} />
                    </span>
                    <span className="recent-status">
                      <StatusMark status={status} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}
