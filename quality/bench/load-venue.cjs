// Prints as JSON what the first use of a venue costs before anything goes over the network: ms until its class is loaded and made, and by how
// many KiB the process has grown. Arguments: the file of the class, and the class's name where the file holds many.
const [file, name] = process.argv.slice(2)
const before = process.memoryUsage.rss()
const startedAt = performance.now()
const loaded = require(file)
const Venue = name === undefined ? loaded.default : loaded.pro[name]
const client = new Venue({ apiKey: 'none', secret: 'none', number: String })
const ms = performance.now() - startedAt
process.stdout.write(`${JSON.stringify({ ms, KiB: (process.memoryUsage.rss() - before) / 1024, id: client.id })}\n`)
