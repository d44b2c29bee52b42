import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.NotesApi;
import org.openapitools.client.model.*;

/** Creates notes, filters them by two operators, changes one, and may not change it again with the same ETag. */
class UseClient {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("API_ORIGIN"));
    NotesApi notes = new NotesApi(client);
    Note first = null;
    for (String text : List.of("ash", "birch", "cedar")) {
      Note note = notes.createNote(new NoteCreate().text00(text).text39("tree"), null, null, null);
      first = first == null ? note : first;
    }
    NoteFilters filters = new NoteFilters().text00Gte("b").text39("tree");
    NotePage page =
        notes.listNotes(
            5, null, null, null, null, null, null, null, null, null, null, null,
            List.of("-text_00"), filters, null);
    String found = String.join(",", page.getData().stream().map(Note::getText00).toList());
    String etag = "\"" + first.getRevision() + "\"";
    Note changed = notes.patchNote(first.getId(), new NotePatch().text00("aspen"), null, null, null, etag);
    int status = 0;
    try {
      notes.patchNote(first.getId(), new NotePatch().text00("alder"), null, null, null, etag);
    } catch (ApiException error) {
      status = error.getCode();
    }
    System.out.printf("%s %s %s %d%n", found, changed.getText00(), changed.getText39(), status);
  }
}
