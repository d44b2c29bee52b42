// json-server on a JSON file, without request logging. Argument: the file.
import process from 'node:process';
import jsonServer from 'json-server';

const [file] = process.argv.slice(2);
const app = jsonServer.create();
app.use(jsonServer.defaults({ logger: false }));
app.use(jsonServer.router(file));

const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}/products\n`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
