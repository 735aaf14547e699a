import { type ServerFrame, TOPICS, type Topic } from '../../protocol/frames.ts'

/** The topics of a frame that there are, each once; for those that there are not, an `error` is sent (behaviour 12). */
export function knownTopics(
  session: { send(frame: ServerFrame): void },
  topics: readonly string[],
): ReadonlySet<Topic> {
  const known = new Set<Topic>()
  for (const [index, topic] of topics.entries()) {
    if (isTopic(topic)) known.add(topic)
    // As other faults are told: the field, never its value.
    else session.send({ t: 'error', error: `\`topics.${index}\` must be one of ${TOPICS.join(', ')}` })
  }
  return known
}

function isTopic(text: string): text is Topic {
  return (TOPICS as readonly string[]).includes(text)
}
